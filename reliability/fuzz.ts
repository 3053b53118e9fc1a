import { fuzzCheck } from './fuzz/run.ts'

export default fuzzCheck(
  'SQLite',
  { short: { requests: 4_000 }, full: { requests: 1_000_000 } },
  async () => ({ environment: {}, close: async () => undefined }),
)
