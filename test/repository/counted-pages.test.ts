/** The counts of the contract in pages that people write. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { rules } from '#check'
import { catalog, operationsOf } from '#contract'
import { countedPages, withCounts } from '../../tools/counted-pages.ts'

describe('a count in a page', () => {
  it('is that of today', () => {
    const [groups, operations] = [catalog.resources.length, operationsOf(catalog).length]
    assert.equal(
      withCounts('All 12 groups, 12 resource groups and 345 operations; 87 of 90 rules pass.'),
      `All ${groups} groups, ${groups} resource groups and ${operations} operations; 87 of ${rules.length} rules pass.`,
    )
  })

  it('of other things stays', () => {
    for (const text of ['1,000 groups', '7 groups', '12 grouped', '12 lists', '1.12 rules']) {
      assert.equal(withCounts(text), text)
    }
  })

  it('is looked for in the README and the guides', () => {
    const paths = countedPages().map(({ path }) => path)
    for (const path of ['README.md', 'client/README.md', 'docs/how-to/query.md']) {
      assert.ok(paths.includes(path), path)
    }
    assert.ok(!paths.includes('docs/explanation/reliability.md'))
  })
})
