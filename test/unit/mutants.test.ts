/** The tools behind `npm run reliability -- mutants` and `npm run specmatic`, which run longer than tests do. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { mutantsOf, withMutant } from '../../reliability/mutants/mutate.ts'
import { type Mistake, withMistake } from '../../reliability/query-mutants/mistake.ts'
import { readReport } from '../../tools/specmatic/report.ts'

const mutated = (text: string): string[] =>
  mutantsOf('sample.ts', text).map((mutant) => withMutant(text, mutant))

describe('a mutator', () => {
  for (const [text, mutants] of [
    ['a === b', ['a !== b', ';']],
    ['a < b', ['a <= b', 'a >= b', ';']],
    ['a && b', ['a || b', ';']],
    ['a ?? b', ['a && b', ';']],
    ['a?.b', ['a.b', ';']],
    ['!a', ['a', ';']],
    ['f(1)', ['f(2)', ';']],
    ["f('x', '')", ["f('', '')", "f('x', 'mutant')", ';']],
    ['f(true)', ['f(false)', ';']],
    ['a += b', ['a -= b', ';']],
    ['if (a) b()', ['if (true) b()', 'if (false) b()', 'if (a) ;']],
    ['const x = a ? b : c', ['const x = true ? b : c', 'const x = false ? b : c']],
    ['const f = () => { return a }', ['const f = () => { return undefined }']],
    ['const f = () => { return undefined }', []],
    ['const f = () => { throw a }', ['const f = () => { ; }']],
  ] as const) {
    it(`changes ${text}`, () => {
      assert.deepEqual(mutated(text).sort(), [...mutants].sort())
    })
  }

  it('leaves types, imports and what is only handed on alone', () => {
    const text =
      "import { a } from 'b'\nexport { c } from 'd'\ntype E = 'f' | 1\ninterface G { h: 'i' }"
    assert.deepEqual(mutated(text), [])
  })

  it('gives mutants that look alike names of their own, whatever surrounds them', () => {
    const names = (text: string) => mutantsOf('sample.ts', text).map(({ id }) => id)
    assert.deepEqual(names('const x = [1, 1]').slice(1), ['1 → 2', '1 → 2 (2)'])
    assert.deepEqual(names('\n\nconst y = [1, 1]').slice(1), ['1 → 2', '1 → 2 (2)'])
  })

  it('refuses what is not a program', () => {
    assert.throws(() => mutantsOf('sample.ts', 'const = 1'), SyntaxError)
  })
})

describe('a listed mistake', () => {
  const at = (file: string) => new URL(`../../${file}`, import.meta.url)
  const read = (file: string) => readFileSync(at(file), 'utf8')

  for (const list of ['query-mutants', 'group-isolation']) {
    it(`of ${list} changes a text that its file has once, and names a test file`, () => {
      const mistakes: readonly Mistake[] = JSON.parse(read(`reliability/${list}/mistakes.json`))
      assert.ok(mistakes.length > 0)
      for (const mistake of mistakes) {
        const { about, file, test } = mistake
        const source = read(file)
        assert.notEqual(withMistake(source, mistake), source, about)
        assert.ok(existsSync(at(test)), `${about}: ${test}`)
      }
    })
  }
})

describe('the report of Specmatic', () => {
  it('is counted, and says what failed and why', () => {
    const report = readReport(`<testsuite tests="3">
<testcase classname="c" name="GET /a -&gt; 200" time="0.1"/>
<testcase classname="c" name="GET /b -&gt; 200" time="0.1"><system-out>x</system-out></testcase>
<testcase classname="c" name="GET /c -&gt; 200" time="0.1">
<failure message="Expected &quot;200&quot;&#10;&amp; got 500" type="t">long</failure></testcase>
</testsuite>`)
    assert.deepEqual(report, {
      tests: 3,
      failures: ['GET /c -> 200: Expected "200" & got 500'],
    })
    assert.deepEqual(readReport(''), { tests: 0, failures: [] })
  })
})
