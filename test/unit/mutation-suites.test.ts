/** What the modules at the core must do: the sentences that `npm run reliability -- mutants` holds mutants to. */
import { describe, it } from 'node:test'
import { suiteNames, suites } from '../../reliability/mutants/suites.ts'

for (const name of suiteNames) {
  const { default: suite } = await suites[name]()
  describe(suite.file, async () => {
    const module: unknown = await import(`../../${suite.file}`)
    for (const [sentence, check] of Object.entries(suite.checks)) {
      it(sentence, async () => check(module))
    }
  })
}
