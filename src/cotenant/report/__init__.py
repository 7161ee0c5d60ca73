"""Results to people: terminal tables, JSON and one offline HTML page.

Knows result values only, never how they were made. The only room that draws: rich,
Altair and Vega stay in here. Numbers and names get their wording in `words`, a method
gets its one-line judgement in `verdict`; both outputs use the same ones.
"""
