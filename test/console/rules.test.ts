// Own process: it sets the language of the whole process.
/** What the business rules say in the languages of the console. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { rules } from '#check'
import { setLocale } from '../../console/src/locale.ts'
import { loadTexts } from '../../console/src/texts/index.ts'
import {
  keyRule,
  loadRuleSentences,
  type RuleSentences,
  ruleDetail,
  ruleRemedy,
  ruleSentence,
  textsOf,
} from '../../console/src/texts/rules.ts'

/** The details that a rule writes, as far as they are data. What a scan writes is not. */
const detailsOf = ({ findings }: (typeof rules)[number]): readonly string[] =>
  findings.flatMap((finding) => {
    if (finding.kind === 'scan') return []
    return finding.kind === 'cycle' ? [finding.detail] : [finding.detail.texts.join('{}')]
  })

const places = (text: string): number =>
  text.replaceAll('{money}', '{}{}').split(/\{(?:label|code)?\}/).length - 1

describe('the German sentences of the rules', () => {
  let german: RuleSentences

  before(async () => {
    await loadTexts('de')
    setLocale('de-DE')
    german = await loadRuleSentences()
  })

  it('are those of every rule, and of nothing else', () => {
    const ids = new Set(rules.map(({ id }) => (id.includes('.') ? keyRule : id)))
    assert.deepEqual(Object.keys(german).sort(), [...ids].sort())
    for (const { id, sentence, remedy } of rules) {
      const own = textsOf(german, id)
      assert.ok(own?.sentence && own.remedy && own.sentence !== sentence, id)
      assert.notEqual(own.remedy, remedy, id)
      assert.match(own.sentence, /^\p{Lu}.*\.$/su, id)
      assert.match(own.remedy, /^\p{Lu}.* Sie .*\.$/su, id)
    }
  })

  for (const rule of rules) {
    it(`say every detail of ${rule.id}, with as many values`, () => {
      const own = textsOf(german, rule.id)?.details ?? {}
      const written = new Set(detailsOf(rule))
      const hasScan = rule.findings.some(({ kind }) => kind === 'scan')
      assert.deepEqual(
        [...written].filter((each) => !Object.hasOwn(own, each)),
        [],
      )
      if (!hasScan) assert.deepEqual(Object.keys(own).sort(), [...written].sort())
      for (const [from, to] of Object.entries(own)) {
        assert.equal(places(to), places(from), from)
        assert.notEqual(to, from)
      }
    })
  }

  for (const [rule, detail, text] of [
    ['SHP-03', 'made 640, shipped 700', 'gefertigt 640, versandt 700'],
    ['PRD-04', 'retracted by none, reason none', 'zurückgezogen von –, Grund –'],
    [
      'FIN-12',
      'partially_paid, paid 0.00 EUR, balance 15872.00 JPY',
      'teilweise bezahlt, bezahlt 0,00\u00a0€, offen 15.872\u00a0¥',
    ],
    ['CAT-11', 'a is missing, b is there twice', 'a fehlt, b ist doppelt vorhanden'],
    [
      'CAT-12',
      'a is 1, 2 by its steps, b is 3, 4 by its steps',
      'a ist 1, nach den Schritten 2, b ist 3, nach den Schritten 4',
    ],
    [
      'FIN-10',
      'total 1.50 USD, order 10.20 is 2.50 none',
      'Gesamtbetrag 1,50\u00a0$, Bestellung 10.20: 2,50',
    ],
    ['REF-03', 'starts 2026-06-02, ends 2026-06-01', 'beginnt 2. Juni 2026, endet 1. Juni 2026'],
    ['CAT-16', 'no definition of a, b', 'keine Definition von a, b'],
    ['DOC-01', 'x, y.png (photo) shows no record', 'x, y.png (Foto) zeigt keinen Datensatz'],
  ] as const) {
    it(`say “${detail}” as “${text}”`, () => {
      assert.deepEqual(ruleDetail(german, rule, detail), { text })
    })
  }

  it('leave what they do not know in English, and say so', () => {
    const unknown = { rule: 'XYZ-01', sentence: 'One.', remedy: 'Two.' }
    assert.deepEqual(ruleSentence(german, unknown), { text: 'One.', lang: 'en' })
    assert.deepEqual(ruleRemedy(german, unknown), { text: 'Two.', lang: 'en' })
    assert.deepEqual(ruleDetail(german, 'SHP-03', 'made up'), { text: 'made up', lang: 'en' })
  })
})

describe('the English sentences of the rules', () => {
  it('are those of the server', async () => {
    await loadTexts('en')
    const own = await loadRuleSentences()
    const [rule] = rules
    assert.ok(rule)
    assert.equal(ruleSentence(own, { ...rule, rule: rule.id }).text, rule.sentence)
    assert.equal(ruleRemedy(own, { ...rule, rule: rule.id }).text, rule.remedy)
    assert.equal(ruleDetail(own, rule.id, 'made up').text, 'made up')
  })

  it('say amounts with their currency, and numbers with grouped digits', async () => {
    await loadTexts('en')
    setLocale('en-US')
    const own = await loadRuleSentences()
    for (const [rule, detail, text] of [
      [
        'FIN-19',
        'invoiced 873696 USD, received goods worth 870960 USD',
        'invoiced $873,696.00, received goods worth $870,960.00',
      ],
      ['SHP-03', 'made 64000, shipped 70000', 'made 64,000, shipped 70,000'],
      [
        'FIN-12',
        'partially_paid, paid 0.00 EUR, balance 1.5 EUR',
        'partially paid, paid €0.00, balance €1.50',
      ],
      ['FIN-10', 'total 1.50 USD, order 1020 is 2.50 USD', 'total $1.50, order 1020 is $2.50'],
    ] as const) {
      assert.equal(ruleDetail(own, rule, detail).text, text)
    }
  })
})
