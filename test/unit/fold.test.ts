import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { foldText } from '#contract'

describe('folding a text', () => {
  const same: readonly (readonly [what: string, folded: string, ...texts: string[]])[] = [
    ['case', 'po-5512 a/b', 'PO-5512 A/B', 'po-5512 a/b', 'Po-5512 a/B'],
    [
      'accents, composed or not',
      'cafe creme',
      'Café crème',
      'CAFÉ CRÈME',
      'Cafe\u0301 cre\u0300me',
    ],
    ['several marks on one letter', 'e', 'ê\u0301', 'e\u0323\u0302\u0301'],
    ['letters that are not taken apart', 'lodz orsted aether', 'Łódź Ørsted Æther'],
    ['sharp s', 'strasse', 'Straße', 'STRASSE', 'STRAẞE'],
    ['Turkish i, with a dot and without', 'istanbul', 'İstanbul', 'ISTANBUL', 'ıstanbul'],
    ['Greek, the end of a word too', 'οδοσ αθηνα', 'ΟΔΟΣ ΑΘΗΝΑ', 'οδός Αθήνα', 'Οδοσ αθηνα'],
    ['Cyrillic', 'еж иван', 'Ёж Иван', 'ЕЖ ИВАН'],
    ['full width and ligatures', 'abc 12 fin', 'ＡＢＣ　１２ ﬁn'],
    ['half-width Japanese', 'ガーメント', 'ｶﾞｰﾒﾝﾄ', 'ガーメント'],
    ['Chinese', '上海服装', '上海服装'],
    ['Korean, composed or not', '한국', '한국', '한국'.normalize('NFD')],
    ['Hebrew and Arabic without vowel marks', 'שלום محمد', 'שָׁלוֹם مُحَمَّد'],
    ['white space', 'a b c', '  a\tb\n\u00a0c ', 'a  b  c'],
    ['invisible characters', 'ab', 'a\u200bb', 'a\u00adb', '\ufeffab', 'a\u0000b'],
    ['emoji with or without a variant', '❤ 👕', '❤\ufe0f 👕', '❤ 👕'],
    ['half of a surrogate pair', '\ufffdx', '\ud800x'],
    ['nothing', '', '', ' ', '\u0301'],
  ]
  for (const [what, folded, ...texts] of same) {
    it(`disregards ${what}`, () => {
      for (const text of texts) assert.equal(foldText(text), folded, JSON.stringify(text))
    })
  }

  it('keeps what distinguishes words', () => {
    const pairs = [
      ['か', 'が'],
      ['कि', 'की'],
      ['กา', 'กี'],
      ['a b', 'ab'],
      ['a-b', 'ab'],
      ['👕', '👖'],
    ]
    for (const [one = '', other = ''] of pairs) assert.notEqual(foldText(one), foldText(other))
  })

  it('changes nothing that is folded already, for every letter', () => {
    for (let code = 0; code < 0x1f000; code += 1) {
      const folded = foldText(`x${String.fromCodePoint(code)}y`)
      if (foldText(folded) !== folded) assert.fail(`U+${code.toString(16)}: ${folded}`)
    }
  })
})
