/** SQLite reads of rows that the test inserts. */
import { describeControlReads } from '../../reads/control.ts'
import { describeJobReads } from '../../reads/jobs.ts'
import { describeLists } from '../../reads/lists.ts'
import { describeListEdges } from '../../reads/search.ts'
import { Rows } from '../rows.ts'

const makeRows = () => new Rows()

describeJobReads(makeRows)
describeLists(makeRows)
describeListEdges(makeRows)
describeControlReads(makeRows)
