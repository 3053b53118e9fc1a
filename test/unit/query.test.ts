import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ApiError } from '#contract'
import { cut, encodeValue, parseQuery, rejectProblems } from '../../src/request/query-string.ts'
import { nearest } from '../../src/request/suggestion.ts'

const encoding = 'is not valid percent-encoded UTF-8'
const once = 'must be given once only'

describe('a query', () => {
  it('a query is read pair by pair', () => {
    const tries: [string, [string, string][], [string, string][]][] = [
      ['', [], []],
      ['&&', [], []],
      [
        'a=1&b=2',
        [
          ['a', '1'],
          ['b', '2'],
        ],
        [],
      ],
      [
        'a=1&&b=',
        [
          ['a', '1'],
          ['b', ''],
        ],
        [],
      ],
      ['a', [['a', '']], []],
      ['a=b=c', [['a', 'b=c']], []],
      ['%61=%C3%A9+%2B', [['a', 'é +']], []],
      ['a+b=1', [['a b', '1']], []],
      ['=1', [], [['', 'a parameter has no name']]],
      ['=1&b=2', [['b', '2']], [['', 'a parameter has no name']]],
      [
        'a=%ff&b=1',
        [
          ['a', ''],
          ['b', '1'],
        ],
        [['a', encoding]],
      ],
      ['%ZZ=1&b=2', [['b', '2']], [['%ZZ', encoding]]],
      ['a=é', [['a', '']], [['a', encoding]]],
      ['a=\u0080', [['a', '']], [['a', encoding]]],
      ['a=\u007f', [['a', '\u007f']], []],
      ['a=1%00', [['a', '1\u0000']], [['a', 'must not contain a NUL character']]],
      ['a=1&a=1', [['a', '1']], [['a', once]]],
      [
        'a=1&a=2&a=3&b=1&b=1',
        [
          ['a', '1'],
          ['b', '1'],
        ],
        [
          ['a', once],
          ['b', once],
        ],
      ],
      [
        `${'n'.repeat(101)}=1&${'n'.repeat(101)}=2`,
        [['n'.repeat(101), '1']],
        [[`${'n'.repeat(100)}…`, once]],
      ],
      [`${'n'.repeat(101)}=%ff`, [['n'.repeat(101), '']], [[`${'n'.repeat(100)}…`, encoding]]],
      [
        `${'n'.repeat(101)}=%00`,
        [['n'.repeat(101), '\u0000']],
        [[`${'n'.repeat(100)}…`, 'must not contain a NUL character']],
      ],
      [`%${'n'.repeat(101)}=1`, [], [[`%${'n'.repeat(99)}…`, encoding]]],
    ]
    for (const [text, values, problems] of tries) {
      const read = parseQuery(text)
      assert.deepEqual([...read.values], values, text)
      assert.deepEqual(
        read.problems.map(({ parameter, issue }) => [parameter, issue]),
        problems,
        text,
      )
    }
  })

  it('a list may be repeated, and nothing else', () => {
    const tries: [string, [string, string][], [string, string][]][] = [
      ['l=a&l=b', [['l', 'a,b']], []],
      [
        'l=a,b&x=1&l=c',
        [
          ['l', 'a,b,c'],
          ['x', '1'],
        ],
        [],
      ],
      ['l=&l=a', [['l', ',a']], []],
      ['l=a&l', [['l', 'a,']], []],
      [
        'l=a&L=b&L=c',
        [
          ['l', 'a'],
          ['L', 'b'],
        ],
        [['L', once]],
      ],
      ['l=%ff&l=a&l=%ff', [['l', ',a,']], [['l', encoding]]],
      ['l=a&l=%00', [['l', 'a,\u0000']], [['l', 'must not contain a NUL character']]],
      [
        'l=a&x=%ff&l=%ff',
        [
          ['l', 'a,'],
          ['x', ''],
        ],
        [
          ['x', encoding],
          ['l', encoding],
        ],
      ],
    ]
    for (const [text, values, problems] of tries) {
      const read = parseQuery(text, ['l'])
      assert.deepEqual([...read.values], values, text)
      assert.deepEqual(
        read.problems.map(({ parameter, issue }) => [parameter, issue]),
        problems,
        text,
      )
    }
  })

  it('a hundred parameters are read, one more is not', () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, index) => `p${index}=1`).join('&')
    assert.equal(parseQuery(many(100)).values.size, 100)
    assert.deepEqual(parseQuery(many(100)).problems, [])
    const { values, problems } = parseQuery(many(101))
    assert.equal(values.size, 0)
    assert.deepEqual(problems, [{ parameter: '', issue: 'there are more than 100 parameters' }])
  })

  it('problems are reported in one sentence, and all of them in details', () => {
    const problem = (parameter: string, issue = 'is odd') => ({ parameter, issue })
    const rejection = (
      problems: { parameter: string; issue: string }[],
      code?: 'unsupported_include',
    ) => {
      try {
        rejectProblems(problems, code)
      } catch (error) {
        assert.ok(error instanceof ApiError)
        return [error.code, error.message, error.details]
      }
      return null
    }
    assert.equal(rejection([]), null)
    const one = [problem('a')]
    assert.deepEqual(rejection(one), ['invalid_parameter', 'Parameter a is odd.', one])
    assert.deepEqual(rejection(one, 'unsupported_include')?.[0], 'unsupported_include')
    assert.equal(rejection([problem('a', 'or b?')])?.[1], 'Parameter a or b?')
    const nameless = [problem('', 'there is one'), problem('b')]
    assert.deepEqual(rejection(nameless), [
      'invalid_parameter',
      'In the query there is one. There are 2 problems; see details.',
      nameless,
    ])
    const many = Array.from({ length: 60 }, (_, index) => problem(`p${index}`))
    assert.deepEqual(rejection(many)?.[2], many.slice(0, 50))
    assert.match(String(rejection(many)?.[1]), /There are 60 problems/)
  })

  it('a name close by is found, a far one is not', () => {
    const names = ['limit', 'cursor', 'orderNumber', 'ab']
    const tries: [string, string | undefined][] = [
      ['Limit', 'limit'],
      ['LIMIT', 'limit'],
      ['lmit', 'limit'],
      ['limi', 'limit'],
      ['limitss', 'limit'],
      ['limitsss', undefined],
      ['lim', 'limit'],
      ['li', undefined],
      ['xxxit', undefined],
      ['xximit', 'limit'],
      ['imit', 'limit'],
      ['order_number', 'orderNumber'],
      ['Order Number', 'orderNumber'],
      ['orderNumbr', 'orderNumber'],
      ['ordrNumbr', 'orderNumber'],
      ['rdrNumbr', undefined],
      ['ORDERNUMBER', 'orderNumber'],
      ['sursor', 'cursor'],
      ['a', 'ab'],
      ['ac', undefined],
      ['limb', undefined],
      ['ilmit', undefined],
      ['', undefined],
      ['__', undefined],
      ['quite another', undefined],
    ]
    for (const [name, expected] of tries) assert.equal(nearest(name, names), expected, name)
    assert.equal(nearest('xyz', ['ab']), undefined)
    assert.equal(nearest('tagId', ['tags', 'tagIds', 'tagI']), 'tagIds', 'the most similar one')
    const long = 'n'.repeat(63)
    assert.equal(nearest(long.slice(1), [long]), long)
    assert.equal(nearest(long, [`${long}n`]), `${long}n`)
    assert.equal(nearest(`${long}n`, [`${long}nn`]), undefined, 'too long to compare')
  })

  it('what is echoed is cut after a hundred characters, and never inside one', () => {
    assert.equal(cut('a'.repeat(100)), 'a'.repeat(100))
    assert.equal(cut('a'.repeat(101)), `${'a'.repeat(100)}…`)
    assert.equal(cut(`${'a'.repeat(99)}😀`), `${'a'.repeat(99)}…`)
    assert.equal(cut(`${'a'.repeat(98)}😀b`), `${'a'.repeat(98)}😀…`)
  })

  it('with raw characters beyond ASCII is refused, whatever else it holds', () => {
    // Node hands the bytes of the request line over as Latin-1.
    const raw = Buffer.from('été').toString('latin1')
    for (const value of [raw, `${raw}+2026`, `${raw}%20x`, `a+${raw}`]) {
      const { problems } = parseQuery(`name=${value}`)
      assert.deepEqual(problems, [
        { parameter: 'name', issue: 'is not valid percent-encoded UTF-8' },
      ])
    }
    assert.equal(parseQuery('name=%C3%A9t%C3%A9+2026').values.get('name'), 'été 2026')
  })

  it('a name without a value is a parameter', () => {
    assert.deepEqual([...parseQuery('mutant').values], [['mutant', '']])
  })

  it('a value is encoded so that nothing in it has a meaning', () => {
    for (const same of ['', 'abc', 'A-Z_0.9~']) assert.equal(encodeValue(same), same)
    assert.equal(encodeValue("a b&c=d+e/é'(1)*!"), 'a%20b%26c%3Dd%2Be%2F%C3%A9%27%281%29%2a%21')
    const odd = "\u0000 %&=+#?/'!()*é日本"
    assert.equal(parseQuery(`q=${encodeValue(`x${odd}`)}`).values.get('q'), `x${odd}`)
  })
})
