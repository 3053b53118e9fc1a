/** Names and phrases that the repository does not use: see test/support/english.ts. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { hitsIn, searchEnglish, searchedFiles } from '../support/english.ts'

const rulesIn = (file: string, text: string): readonly string[] =>
  hitsIn(file, () => text).map(({ rule }) => rule.split(':')[0] ?? '')

describe('the search for private words', () => {
  it('finds them in names, also as a part of one', () => {
    const code = 'const openFleet = (visit: Visit) => { const told = 1; return told }'
    assert.deepEqual(rulesIn('src/x.ts', code), [
      'word “fleet” in a name',
      'word “visit” in a name',
      'word “visit” in a name',
      'name “told”',
    ])
  })

  it('finds them in names of files', () => {
    assert.deepEqual(rulesIn('src/http/quick-road.ts', ''), ['file name “quick-road”'])
  })

  it('finds phrases in comments, strings, templates and Markdown', () => {
    assert.deepEqual(rulesIn('src/x.ts', '/** It begins anew. */'), ['“anew”'])
    assert.deepEqual(rulesIn('src/x.ts', "log('A is no slug.')"), ['“is no X”'])
    assert.deepEqual(rulesIn('src/x.ts', 'log(`$' + '{a} goes on.`)'), ['“goes on”'])
    assert.deepEqual(rulesIn('docs/x.md', 'One.\n\nWho asks often waits.'), ['“Who …”'])
  })

  it('says in which line', () => {
    const [hit] = hitsIn('docs/x.md', () => 'One.\n\nTwo anew.\n')
    assert.equal(hit?.line, 3)
  })

  it('leaves ordinary English and code in Markdown alone', () => {
    const text =
      'There is no key. It is no longer valid. `told` stands for it. Who asks? See `visit`.'
    assert.deepEqual(rulesIn('docs/x.md', text), [])
    assert.deepEqual(rulesIn('src/x.ts', "import { x } from './quick-road.ts'"), [])
  })
})

const isCheckout = existsSync(join(import.meta.dirname, '../../.git'))

describe('the repository', { skip: !isCheckout && 'Git lists the files to search' }, () => {
  const files = isCheckout ? searchedFiles() : []

  it('is searched in every part', () => {
    const parts = new Set(files.map((file) => file.split('/')[0]))
    const expected = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md']
    expected.push(
      'bench',
      'bin',
      'client',
      'console',
      'demo',
      'docs',
      'reliability',
      'src',
      'test',
      'tools',
    )
    assert.deepEqual(
      expected.filter((part) => !parts.has(part)),
      [],
    )
  })

  it('has no private words', () => {
    const hits = searchEnglish(files)
    assert.deepEqual(
      hits.map(({ file, line, rule, text }) => `${file}:${line}: ${rule}: ${text}`),
      [],
    )
  })
})
