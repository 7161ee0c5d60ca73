"""Small job logs of our own, with the quirks of their formats."""


def swf_line(*first: object, **fields: object) -> str:
    """Return a line of 18 fields: number, submit, wait, run, processors, and others."""
    cells = [1, 0, -1, 10, 1, -1, -1, -1, -1, -1, 1, 1, 1, -1, 1, -1, -1, -1]
    cells[: len(first)] = first
    places = {"cpu": 5, "asked": 7, "limit": 8, "status": 10, "user": 11}
    places |= {"group": 12, "queue": 14, "partition": 15}
    for name, value in fields.items():
        cells[places[name]] = value
    return " ".join(str(cell) for cell in cells)


SWF = (
    "; Version: 2.2\n"
    "; UnixStartTime: 1000000\n"
    "; MaxNodes: 8\n"
    "; MaxProcs: 64\n"
    "; Queue: 0 interactive\n"
    "; Queue: 1 [long:1] \n"
    ";\n"
    + "\r\n".join(
        [
            swf_line(11, 500, 3, 60, 4, cpu="59.50", asked=8, limit=90),
            swf_line(12, 500, 0, 60, -1, asked=2, limit=30),
            "",
            "; a comment between jobs",
            swf_line(13, 510, 7, 60, 3),
            swf_line(14, 520, 7, 0, 3),
            swf_line(15, 520, 7, -1, 3, status=5),
            swf_line(16, 520, 7, 0, 3, status=5),
            swf_line(17, 520, 7, -1, 3),
            swf_line(18, 520, 7, -77, 3),
            swf_line(19, 520, 7, 60, -1),
            swf_line(20, -1, 7, 60, 3),
            swf_line(21, 520, 7, 60, 3, status=2),
            swf_line(22, 505, 7, 60, 2.5, status=0, queue=0),
        ]
    )
)
SWF_RECORDS = 12

SACCT = """\
JobID|User|Partition|Submit|Start|End|Elapsed|Timelimit|ReqCPUS|AllocCPUS|State
100|ann|batch|2024-03-01T10:00:00|2024-03-01T10:05:00|2024-03-01T11:05:00|01:00:00|02:00:00|4|8|COMPLETED
100.batch||||2024-03-01T10:05:00|2024-03-01T11:05:00|01:00:00||8|8|COMPLETED
100.extern||||2024-03-01T10:05:00|2024-03-01T11:05:00|01:00:00||8|8|COMPLETED
101_3|bob|gpu|2024-03-01T10:00:30|2024-03-01T10:00:31|2024-03-02T12:00:35|1-02:00:04|UNLIMITED|16|16|\
CANCELLED by 1000
101_[4-9]|bob|gpu|2024-03-01T10:00:30|Unknown|Unknown|00:00:00|1-00:00:00|16|0|PENDING
102|ann|batch|2024-03-01T09:00:00|2024-03-01T09:00:00|Unknown|00:20:00|Partition_Limit|2|2|RUNNING
103|ann|batch|2024-03-01T09:59:00|2024-03-01T10:00:00|2024-03-01T10:00:12|00:12|00:10:00|2|2|OUT_OF_ME+
104|ann|batch|2024-03-01T10:10:00|None|2024-03-01T10:11:00|00:00:00|00:10:00|2|0|CANCELLED
"""
SACCT_RECORDS = 8

CSV = """\
job_id,submission_time,requested_number_of_resources,requested_time,starting_time,execution_time,waiting_time,cluster,speed,user
a1,0,4,120,5,30,5,0,2.0,ann
b2,10,8,-1,10,50,0,1,0.5,bob

c3,20,2,60,20,20,0,1,1.0,
"""
CSV_RECORDS = 3
