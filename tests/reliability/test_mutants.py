"""The faults that tests/reliability/mutants.py puts into the source, and their places there."""

from reliability import mutants

FAULTS = mutants.read_faults()
PACKAGE = mutants.ROOT / "fastauc"


def test_each_fault_has_one_place_in_the_source():
    for fault in FAULTS:
        text = (PACKAGE / fault.file).read_text(encoding="utf-8")
        assert fault.faulty_text(PACKAGE) != text, fault.name


def test_names_of_faults_are_unique_and_as_many_as_promised():
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 140


def test_every_kernel_has_a_fault_and_every_file_its_first_tests():
    files = {path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.pyx")}
    assert files <= {fault.file for fault in FAULTS}
    for fault in FAULTS:
        for name in fault.first_tests:
            assert (mutants.ROOT / "tests" / name).exists()
