import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  compareMatches,
  type Match,
  matchScattered,
  matchWhole,
  matchWords,
} from '../../src/store/search/match.ts'
import { parseTerms } from '../../src/store/search/terms.ts'
import { entriesMax, entryLength, searchEntries } from '../../src/store/search-index/entries.ts'

/** The entries of values as texts, each after its rank. */
const entriesOf = (...values: (string | null)[]) =>
  searchEntries(values).map(({ rank, text }) => `${rank} ${text}`)

const termsOf = (query: string) => {
  const terms = parseTerms(query)
  assert.ok(terms)
  return terms
}

describe('the entries of a record', () => {
  const cases: readonly (readonly [
    what: string,
    values: readonly string[],
    entries: readonly string[],
  ])[] = [
    ['a number without its punctuation, and its later parts', ['PO-5512'], ['0 po5512', '1 5512']],
    ['the same number in other spellings', ['po 5512'], ['0 po5512', '1 5512']],
    ['a number without punctuation, and its digits', ['PO5512'], ['0 po5512', '1 5512']],
    ['a container number, and its digits', ['MSKU1234565'], ['0 msku1234565', '1 1234565']],
    ['a container number in groups', ['MSKU 123456 5'], ['0 msku1234565', '1 1234565']],
    [
      'a tracking number in groups',
      ['1Z 999 AA1 01 2345 6784'],
      ['0 1z999aa10123456784', '1 999aa10123456784', '1 aa10123456784'],
    ],
    ['a GTIN', ['9520001001000'], ['0 9520001001000']],
    ['a part of a number without a digit has no entry', ['2026-SPRING'], ['0 2026spring']],
    ['a number of one or two digits has no entry', ['7', '12', '123'], ['0 123']],
    ['a name, and its later words', ['Oxford shirt'], ['2 oxford shirt', '3 shirt']],
    [
      'a name with a digit is a name',
      ['Oxford shirt 2-pack'],
      ['2 oxford shirt 2 pack', '3 shirt 2 pack', '3 pack'],
    ],
    ['accents and case are ignored', ['Confeções LÓDŹ'], ['2 confecoes lodz', '3 lodz']],
    [
      'apostrophes do not divide a word, but one may begin after them',
      ["L'Oréal", 'O’Neill', "don't"],
      ['2 loreal', '2 oneill', '2 dont', '3 oreal', '3 neill'],
    ],
    [
      'punctuation divides words',
      ['Costa & Filhos, Lda.'],
      ['2 costa filhos lda', '3 filhos lda', '3 lda'],
    ],
    ['a word of one letter has no entry', ['Size M'], ['2 size m']],
    ['any character of Chinese may begin a word', ['宁波港'], ['2 宁波港', '3 波港', '3 港']],
    [
      'Latin letters after Chinese begin a word',
      ['宁波port'],
      ['2 宁波port', '3 波port', '3 port'],
    ],
    ['Korean is divided by its spaces', ['서울 의류'], ['2 서울 의류', '3 의류']],
    ['Thai is not divided', ['กขค'], ['2 กขค', '3 ขค', '3 ค']],
    [
      'what is found by another entry has none of its own',
      ['PL-9001', 'pl-S-9001.pdf'],
      ['0 pl9001', '0 pls9001pdf', '1 9001', '1 s9001pdf'],
    ],
    ['the same text is stored once', ['Acme Mills', 'acme-mills'], ['2 acme mills', '3 mills']],
    ['a value without a letter or digit', ['—', ''], []],
  ]
  for (const [what, values, entries] of cases) {
    it(`are: ${what}`, () => assert.deepEqual(entriesOf(...values), entries))
  }

  it('are none where there is no value', () => assert.deepEqual(entriesOf(null, null), []))

  it(`have at most ${entryLength} characters, and no half characters`, () => {
    const [entry] = searchEntries([`${'a'.repeat(entryLength - 1)}𠀀𠀀`])
    assert.equal(entry?.text, 'a'.repeat(entryLength - 1))
    assert.equal(searchEntries(['b'.repeat(100)])[0]?.text.length, entryLength)
  })

  it(`are at most ${entriesMax}, those of whole values first`, () => {
    const entries = searchEntries(Array.from({ length: 20 }, (_, n) => `Name${n}x second third`))
    assert.equal(entries.length, entriesMax)
    assert.ok(entries.every(({ text }) => text.startsWith('name')))
  })

  it('say which value they come from', () => {
    const entries = searchEntries([null, 'V-0107', 'Costa'])
    assert.deepEqual(
      entries.map(({ text, value }) => [text, value]),
      [
        ['v0107', 1],
        ['costa', 2],
        ['0107', 1],
      ],
    )
  })
})

describe('a query', () => {
  for (const query of ['', ' ', '-', '…', '"\''])
    it(`without a letter or a digit finds nothing: ${JSON.stringify(query)}`, () =>
      assert.equal(parseTerms(query), null))

  it('is looked for as a name and as a number', () => {
    assert.deepEqual(termsOf('PO-5512').wholes, ['po 5512', 'po5512'])
    assert.deepEqual(termsOf('PO5512').wholes, ['po5512'])
  })

  it('is divided into words, the longest of which records are looked up by', () => {
    const { words, drivers } = termsOf('a bbb cc dddd eeeee cc')
    assert.deepEqual(words, ['a', 'bbb', 'cc', 'dddd', 'eeeee'])
    assert.deepEqual(drivers, ['eeeee', 'dddd', 'bbb', 'cc'])
    assert.deepEqual(termsOf('one').words, [])
  })
})

describe('a match', () => {
  const kindOf = (query: string, ...values: (string | null)[]) => {
    const match =
      matchWhole(values, termsOf(query)) ??
      matchWords(values, termsOf(query)) ??
      matchScattered(values, termsOf(query))
    return match && `${match.kind} ${values[match.value]}`
  }
  const cases: readonly (readonly [
    query: string,
    values: readonly string[],
    match: string | null,
  ])[] = [
    ['po-5512', ['PO-5512'], 'exact PO-5512'],
    ['PO 5512', ['PO-5512'], 'exact PO-5512'],
    ['po55', ['PO-5512'], 'number PO-5512'],
    ['5512', ['PO-5512'], 'part PO-5512'],
    ['512', ['PO-5512'], null],
    ['costa', ['Costa & Filhos'], 'name Costa & Filhos'],
    ['COSTA FIL', ['Costa & Filhos'], 'name Costa & Filhos'],
    ['filhos', ['Costa & Filhos'], 'word Costa & Filhos'],
    ['filhos costa', ['Costa & Filhos'], 'words Costa & Filhos'],
    ['fil cos', ['Costa & Filhos'], 'words Costa & Filhos'],
    ['costa 0107', ['V-0107', 'Costa & Filhos'], 'words Costa & Filhos'],
    ['costa 0108', ['V-0107', 'Costa & Filhos'], null],
    ['osta', ['Costa & Filhos'], null],
    ['loreal', ["L'Oréal"], "exact L'Oréal"],
    ['costa filhos', ['V-0107', 'Costa & Filhos'], 'exact Costa & Filhos'],
    ['波', ['宁波港'], 'word 宁波港'],
    ['cotton', ['C-1 cotton', 'Cotton'], 'exact Cotton'],
    [
      'Orchard band-collar shirt, navy, size M',
      ['Orchard band-collar shirt, navy, size L', 'Orchard band-collar shirt, navy, size M'],
      'exact Orchard band-collar shirt, navy, size M',
    ],
    [
      'Orchard band-collar shirt, navy, size',
      ['Orchard band-collar shirt, navy, size M'],
      'name Orchard band-collar shirt, navy, size M',
    ],
  ]
  for (const [query, values, match] of cases) {
    it(`of ${query} with ${values.join(', ')} is ${match}`, () =>
      assert.equal(kindOf(query, ...values), match))
  }

  const better: readonly (readonly [rule: string, query: string, better: string, worse: string])[] =
    [
      ['an exact number comes before a number that begins so', 'po55', 'PO-55', 'PO-551'],
      ['a number that begins so comes before a later part', '551', '5512', 'PO-551'],
      ['a later part of a number comes before a name', '551', 'PO-55123456789', '551 Oxford'],
      [
        'a name that begins so comes before a later word',
        'oxford',
        'Oxford shirt, white',
        'An Oxford',
      ],
      [
        'a word comes before words in another order',
        'white shirt',
        'The white shirt',
        'Shirt, white',
      ],
      ['a shorter one comes before a longer one', 'oxford', 'Oxford zz', 'Oxford aaa'],
      ['of the same length, the order is that of the bytes', 'oxford', 'Oxford a', 'Oxford b'],
      ['characters beyond 16 bits come last', 'oxford', 'Oxford 﨎﨎', 'Oxford 𠀀'],
    ]
  for (const [rule, query, one, other] of better) {
    it(`is ordered: ${rule}`, () => {
      const terms = termsOf(query)
      const matchOf = (value: string): Match => {
        const match = matchWhole([value], terms) ?? matchWords([value], terms)
        assert.ok(match)
        return match
      }
      assert.ok(compareMatches(matchOf(one), matchOf(other)) < 0)
      assert.ok(compareMatches(matchOf(other), matchOf(one)) > 0)
    })
  }
})
