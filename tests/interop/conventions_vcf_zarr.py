"""VCF Zarr that bio2zarr made of a VCF file, of Zarr v2 and v3: zom finds nothing in it, and something once it is cut.

    python tests/interop/conventions_vcf_zarr.py

In an environment with zom, zarr-python 3, bio2zarr and cyvcf2.
"""

# ruff: noqa: T201 - it tells what it does
from __future__ import annotations

import importlib.util
import shutil
import sys
import tempfile
import warnings
from pathlib import Path

from outcomes import check, counts, skip

import zom

HEADER = """\
##fileformat=VCFv4.3
##source=by hand
##contig=<ID=1,length=1000>
##FILTER=<ID=q10,Description="low quality">
##INFO=<ID=NS,Number=1,Type=Integer,Description="samples">
##INFO=<ID=AF,Number=A,Type=Float,Description="frequencies">
##INFO=<ID=AD,Number=R,Type=Integer,Description="depths">
##INFO=<ID=DB,Number=0,Type=Flag,Description="known">
##INFO=<ID=AA,Number=1,Type=Character,Description="ancestor">
##INFO=<ID=WHO,Number=.,Type=String,Description="names">
##FORMAT=<ID=GT,Number=1,Type=String,Description="genotype">
##FORMAT=<ID=DP,Number=1,Type=Integer,Description="depth">
##FORMAT=<ID=PL,Number=G,Type=Integer,Description="likelihoods">
##FORMAT=<ID=HQ,Number=2,Type=Integer,Description="qualities">
##FORMAT=<ID=FT,Number=1,Type=String,Description="filter">
"""
RECORDS = (
    "#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT a b",
    "1 10 r1 A T 30 PASS NS=2;AF=0.5;AD=3,4;DB;AA=T;WHO=x,y GT:DP:PL:HQ:FT 0|1:3:1,2,3:5,6:PASS 1/1:4:1,2,3:7,8:.",
    "1 20 . AC T,G . q10 NS=1;AF=0.1,0.2;AD=1,2,3 GT:DP:PL:HQ:FT 0/0:3:1,2,3,4,5,6:5,6:PASS ./.:.:.:.:.",
    "1 30 r3 G C 12 . . GT:DP 0/1:3 0|1:7",
)


def expect_sound(folder: Path) -> None:
    report = zom.validate(folder, conventions=["vcf-zarr"])
    if len(report) or not report.checked:
        raise AssertionError("\n".join(f"{each.code} {each}" for each in report))


def expect_found(folder: Path, taken: str, code: str) -> None:
    shutil.rmtree(folder / taken)
    codes = [each.code for each in zom.validate(folder, conventions=["vcf-zarr"])]
    if codes != [code]:
        raise AssertionError(f"expected {code}, found {codes}")


def main() -> int:
    if not (importlib.util.find_spec("bio2zarr") and importlib.util.find_spec("cyvcf2")):
        skip("conventions_vcf_zarr", "bio2zarr or cyvcf2 is not installed")
        return 0
    from bio2zarr import vcf
    from bio2zarr.vcz import VcfZarrIndexer

    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        source = Path(name) / "few.vcf"
        source.write_text(HEADER + "".join(line.replace(" ", "\t") + "\n" for line in RECORDS))
        for zarr_format in (2, 3):
            folder = Path(name) / f"v{zarr_format}.vcz"
            vcf.convert([source], folder, zarr_format=zarr_format, variants_chunk_size=2)
            if not (folder / "region_index").exists():
                VcfZarrIndexer(folder).create_index()
            check(f"v{zarr_format}: sound", lambda: expect_sound(folder))  # noqa: B023 - called at once
            check(
                f"v{zarr_format}: without lengths",
                lambda: expect_found(folder, "variant_length", "vcf-zarr/region-index-lengths"),  # noqa: B023 - as above
            )
    print(", ".join(f"{count} {word}" for word, count in sorted(counts.items())))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
