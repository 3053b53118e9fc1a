import { openTestService } from '../test/support/service.ts'
import { walkUnderProcess, walkUnderWriters } from '../test/support/walks.ts'
import { check } from './check.ts'

interface Size {
  /** Walks with writers in the same process, and with one in another process. */
  readonly within: number
  readonly apart: number
}

export default check<Size>({
  id: 'R15',
  claim: 'A client that pages through a list during writes sees every stable record exactly once.',
  target:
    'In 500 walks during writes, every stable record is seen exactly once and in order, and every `totalItems` is that of a state the walk could see.',
  sizes: { short: { within: 5, apart: 2 }, full: { within: 350, apart: 150 } },
  try: async ({ within, apart }, { seed, log }) => {
    const service = await openTestService()
    const key = await service.key()
    const parts = { service, key, seed, log }
    const one = await walkUnderWriters({ ...parts, brand: 'busy', walks: within })
    const other = await walkUnderProcess({ ...parts, brand: 'apart', walks: apart })
    await service.close()
    const misses = [...one.misses, ...other.misses]
    const pages = one.pages + other.pages
    const writes = one.writes + other.writes
    return {
      measured: `${within + apart} walks of ${pages.toLocaleString('en')} pages during ${writes.toLocaleString('en')} writes, ${misses.length} wrong.`,
      counts: { walks: within + apart, pages, writes, wrong: misses.length },
      misses,
    }
  },
})
