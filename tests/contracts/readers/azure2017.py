from tests.contracts.readers.case import Files, ReaderCase

VM_A = "aA0/bB1+cC2dD3eE4fF5gG6hH7iI8jJ9kK0="
VM_B = "zZ9+yY8/xX7wW6vV5uU4tT3sS2rR1qQ0pP9o"


def size(vm: str, cores: object, memory: object, category: str = "Unknown") -> str:
    """One row of the eleven columns of the VM table."""
    cells = [vm, "sub+1=", "dep/1=", 0, 2_591_700, 99.5, 3.5, 10.25, category]
    return ",".join(map(str, [*cells, cores, memory])) + "\n"


def large(rows: int) -> Files:
    return {"vm_cpu_readings-1.csv": f"300,{VM_A},2.05,3.91,2.86\n".encode() * rows}


CASE = ReaderCase(
    files={
        "vm_cpu_readings-1.csv": (
            f"0,{VM_A},2.5,40.5,12.5\n300,{VM_A},0,100,5e-1\n0,{VM_B},1,3,2\n"
        ).encode(),
        "vmtable.csv": (size(VM_A, 4, 3.5) + size("other", 1, 1.75)).encode(),
    },
    rows=3,
    first={
        "task": VM_A,
        "time": 0.0,
        "cpu_mean": 0.5,
        "cpu_request": 4.0,
        "memory_request": 3.5 * 1024**3,
    },
    unit="cores",
    damaged={
        "vm_cpu_readings-1.csv": (
            f"0,{VM_A},2.5,40.5,12.5\n300,{VM_A},0,100,half\n"
        ).encode()
    },
    damaged_line=2,
    damaged_words=("vm_cpu_readings-1.csv", '"half"', "an average CPU percentage"),
    large=large,
)
