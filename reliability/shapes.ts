import { openTestService } from '../test/support/service.ts'
import { openSpeaker, shapes, tryShape } from '../test/support/shapes.ts'
import { check } from './check.ts'

/** Messages that must be refused. Only the tests cover unusual valid messages. */
const malformed = Object.values(shapes)
  .flat()
  .filter(({ status }) => status >= 400 && status < 500)

export default check({
  id: 'R13',
  claim: 'A malformed HTTP message gets exactly one response, which conforms to the contract.',
  target:
    'Each of at least 60 malformed messages gets exactly one response, a 4xx that conforms to the contract, and the next client is served.',
  sizes: { short: { rounds: 1 }, full: { rounds: 10 } },
  try: async ({ rounds }, { log }) => {
    const service = await openTestService({ TRUSTED_PROXIES: '127.0.0.1' })
    const speaker = openSpeaker(service.url, await service.key('aldermoor'))
    const misses: string[] = []
    for (let round = 0; round < rounds; round += 1) {
      for (const shape of malformed) {
        await tryShape(speaker, shape).catch((error: Error) => {
          misses.push(`${shape.what}, in round ${round}: ${error.message}`)
        })
      }
      log(`round ${round + 1} of ${rounds}`)
    }
    await service.close()
    if (malformed.length < 60) misses.push(`There are ${malformed.length} shapes only.`)
    const tried = malformed.length * rounds
    return {
      measured: `${malformed.length} malformed messages, each sent ${rounds} ${rounds === 1 ? 'time' : 'times'}, ${misses.length} with a wrong response.`,
      counts: { shapes: malformed.length, tried, wrong: misses.length },
      misses,
    }
  },
})
