/** Every figure of trust in its short form. The full forms are scripts: see docs/explanation/trust.md. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { figureNames, figures } from '../../reliability/checks.ts'
import { itHolds } from '../support/figure.ts'

describe('the figures of trust, in short', async () => {
  for (const name of figureNames) {
    const { shortIn } = (await figures[name]()).default
    if (shortIn === undefined) itHolds(name)
    else {
      it(`${name} is tried in ${shortIn}`, () => {
        const test = readFileSync(new URL(`../${shortIn}`, import.meta.url), 'utf8')
        assert.ok(test.includes(`itHolds('${name}')`))
      })
    }
  }

  it('have a script each', () => {
    const { scripts } = JSON.parse(
      readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
    ) as { scripts: { readonly [name: string]: string } }
    for (const name of figureNames) {
      assert.equal(scripts[`trust:${name}`], `node reliability/main.ts ${name}`)
    }
  })
})
