"""Whatever a file holds, a reader gives answers or says in a sentence what is wrong."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tolka.errors import TolkaError
from tolka.judge.exchange import FORMATS, read_answers
from tolka.judge.rank import Counts

HEADERS = [
    "srclang,trglang,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank",
    "segment,better,worse",
    "system\tdoc\tseg_id\trater\tcategory\tseverity",
    "model_a,model_b,winner",
    "participant_id,condition,type,exp_item_number,rating",
    "task_id,wmt_article,wmt_line,fluency_rater1,A_origin,B_origin",
    "left,right,choice,weight,sided,test",
    '{"left": "a", "right": "b"}',
    "j1,sys-a,7,TGT,eng,deu,80",
]
CELLS = st.sampled_from(
    ["a", "b", "a+b", "1", "2", "-1", "nan", "tie", "model_a", "Major", "left", '"', "", "é", "TGT"]
)
ROWS = st.lists(st.tuples(st.sampled_from(",\t"), st.lists(CELLS, max_size=9)), max_size=6)


@pytest.mark.parametrize("format", FORMATS)
@settings(max_examples=60, deadline=None)
@given(header=st.sampled_from(HEADERS), rows=ROWS, rest=st.text(max_size=30))
def test_answers_or_a_sentence(format, header, rows, rest):  # noqa: A002
    text = "\n".join([header, *(separator.join(cells) for separator, cells in rows), rest])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "answers")
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        said, total = "", 0.0
        try:
            total = Counts.of(read_answers(path, format)).total
        except TolkaError as error:
            said = str(error)
    assert total >= 0
    assert "\n" not in said
