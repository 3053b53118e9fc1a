import { seeded } from '../test/support/model.ts'
import { check } from './check.ts'
import { sumsOf } from './sums.ts'
import { type Round, runRound } from './two-primaries/round.ts'

const senders = 4

export default check({
  id: 'R39',
  claim:
    'After a failover of PostgreSQL, an old primary that comes back gets no write, and no committed record disappears.',
  target: `5 failovers between two hosts with synchronous replication, each followed by 10 kills and starts of the old primary, of the promoted server and of Selvedge in a random order, while ${senders} senders repeat each batch until it is reported as finished: every batch is one batch and is stored on the promoted server, no read misses a record that was reported as committed, and nothing that was sent after the failover is on the old primary.`,
  sizes: { short: { rounds: 1, events: 2 }, full: { rounds: 5, events: 8 } },
  try: async ({ rounds, events }, { seed, log }) => {
    const draw = seeded(seed)
    const all: Round[] = []
    for (let round = 1; round <= rounds; round += 1) {
      all.push(await runRound({ events, senders, draw }))
      log(`${round} of ${rounds} failovers`)
    }
    const counts = { rounds, ...sumsOf(all, 'events', 'returns', 'batches', 'reads') }
    const misses = all.flatMap((each) => each.misses)
    return {
      measured: `${rounds} failovers, ${counts.events} kills and starts after them, the old primary came back ${counts.returns} times: ${counts.batches} batches of ${senders} senders and ${counts.reads} reads, ${misses.length} violations.`,
      counts,
      misses: misses.slice(0, 20),
    }
  },
})
