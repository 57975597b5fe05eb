"""zom's own chunk grids do what `zom.testing` asks of those of others."""

from zom.extension import chunk_grids
from zom.testing.grids import GridSuite


class TestRegular(GridSuite):
    grid = chunk_grids["regular"]
    arrays = (
        ({"chunk_shape": [4]}, (10,)),
        ({"chunk_shape": [4, 9]}, (8, 5)),
        ({"chunk_shape": []}, ()),
        ({"chunk_shape": [3]}, (0,)),
    )
    wrong_arrays = (({"chunk_shape": [4, 4]}, (10,)), ({"chunk_shape": [0]}, (10,)))


class TestRectilinear(GridSuite):
    grid = chunk_grids["rectilinear"]
    arrays = (
        ({"kind": "inline", "chunk_shapes": [[4, 3, 3]]}, (10,)),
        ({"kind": "inline", "chunk_shapes": [[[2, 4], 1], 3]}, (9, 7)),
    )
    wrong_arrays = (({"kind": "inline", "chunk_shapes": [[4, 3]]}, (10,)),)
