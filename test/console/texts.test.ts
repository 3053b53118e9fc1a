/** The languages of the console: which one a viewer gets, and that each is whole. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { groupAt } from '../../console/src/contract.ts'
import { adminTexts, loadAdminTexts } from '../../console/src/texts/admin.ts'
import { chooseLanguage } from '../../console/src/texts/choice.ts'
import {
  domainTitle,
  fieldLabel,
  groupSingular,
  groupTitle,
  valueLabel,
  viewTitle,
} from '../../console/src/texts/contract.ts'
import { adminEnglish } from '../../console/src/texts/en/admin.ts'
import { english } from '../../console/src/texts/en/index.ts'
import { language, loadTexts, texts } from '../../console/src/texts/index.ts'
import { literalTexts } from '../support/literal-texts.ts'

afterEach(async () => {
  await loadTexts('en')
  await loadAdminTexts('en')
})

describe('the language of the console', () => {
  for (const [stored, preferred, chosen, locale] of [
    [null, ['en-GB', 'en'], 'en', 'en-GB'],
    [null, ['de-AT', 'en'], 'de', 'de-AT'],
    [null, ['fr-FR', 'de-CH', 'en'], 'de', 'de-CH'],
    [null, ['fr-FR', 'fr', 'en-GB'], 'en', 'en-GB'],
    [null, ['fr-FR'], 'en', 'en'],
    [null, [], 'en', 'en'],
    ['de', ['en-US', 'en'], 'de', 'de'],
    ['de', ['en-US', 'de-CH'], 'de', 'de-CH'],
    ['en', ['de-DE', 'en-GB'], 'en', 'en-GB'],
    ['tlh', ['de-DE'], 'de', 'de-DE'],
  ] as const) {
    it(`is ${chosen} with ${locale} figures for ${preferred}, ${stored ?? 'none'} chosen`, () => {
      assert.deepEqual(chooseLanguage(stored, preferred), { language: chosen, locale })
    })
  }

  it('is English until another one is loaded', async () => {
    assert.equal(language(), 'en')
    assert.equal(texts(), english)
    await loadTexts('de')
    assert.equal(language(), 'de')
    assert.equal(texts().signIn.title, 'Anmelden')
  })

  it('has the number of what it counts', async () => {
    await loadTexts('de')
    const { rowsMeaning } = texts().sources
    assert.match(rowsMeaning(1, 0), /^1 Zeile wartet .* bis sie in der Quelle korrigiert ist\.$/)
    assert.match(rowsMeaning(2, 0), /^2 Zeilen warten .* bis sie in der Quelle korrigiert sind\.$/)
  })
})

/** Every text of a catalogue by its path; one with parameters is written with 3 for each. */
const flat = (value: unknown, path = ''): [path: string, text: string][] => {
  if (typeof value === 'string') return [[path, value]]
  if (typeof value === 'function') return [[path, String(value('3', '3', '3', '3'))]]
  return Object.entries(value ?? {}).flatMap(([name, each]) => flat(each, `${path}.${name}`))
}

/** Commands, and the names of languages in their own language. */
const untranslatable =
  /^\.(quality\.command|sources\.\w+Command|search\.useLanguage\..*|shell\.signInCommand|storage\.backupCommand)$/

/** Texts that are the same in both languages. */
const same = new Set([
  'ATA',
  'ATD',
  'CSV',
  'Details',
  'ETA',
  'ETD',
  'Excel',
  'Filter',
  'Graph',
  'Import',
  'Installation',
  'JSON',
  'Name',
  'Normal',
  'Operation',
  'PostgreSQL',
  'Redis',
  'SKU',
  'SKUs',
  'SQLite',
  'Status',
  'XLSX',
])

describe('the German texts', () => {
  const { contract: _, ...areas } = english
  for (const [what, own, inGerman] of [
    ['of the console', areas, texts],
    ['of the operator page', adminEnglish, adminTexts],
  ] as const) {
    it(`${what} are all there and translated`, async () => {
      const wanted = flat(own)
      await loadTexts('de')
      await loadAdminTexts('de')
      const other = new Map(flat(inGerman()))
      assert.ok(wanted.length > 30)
      for (const [path, text] of wanted) assert.equal(Boolean(other.get(path)), text !== '', path)
      const untranslated = wanted.filter(
        ([path, text]) =>
          /\p{L}/u.test(text) && !untranslatable.test(path) && other.get(path) === text,
      )
      assert.deepEqual(
        untranslated.filter(([, text]) => !same.has(text)),
        [],
      )
    })
  }
})

describe('the German names of the contract', () => {
  it('tell the groups and views apart', async () => {
    await loadTexts('de')
    const { contract } = texts()
    for (const names of [
      Object.values(contract?.groups ?? {}).map(([title]) => title),
      Object.values(contract?.views ?? {}),
    ]) {
      assert.equal(new Set(names).size, names.length)
    }
  })

  it('are used for what they name; a value that is not declared stays as it is', async () => {
    const order = groupAt('orders')
    const status = order?.fields.find(({ name }) => name === 'confirmedExFactoryDate')
    assert.ok(order && status)
    const named = () => [
      groupTitle(order),
      groupSingular(order),
      fieldLabel(status),
      valueLabel('partially_paid'),
      valueLabel('no_such_value'),
      valueLabel('constructor'),
      viewTitle({ title: 'Late orders' }),
      domainTitle('finance'),
    ]
    assert.deepEqual(named(), [
      'Orders',
      'Order',
      'Confirmed ex-factory date',
      'partially paid',
      'no such value',
      'constructor',
      'Late orders',
      'Finance',
    ])
    await loadTexts('de')
    assert.deepEqual(named(), [
      'Bestellungen',
      'Bestellung',
      'Bestätigtes Ab-Werk-Datum',
      'teilweise bezahlt',
      'no such value',
      'constructor',
      'Verspätete Bestellungen',
      'Finanzen',
    ])
  })
})

/** Areas that are being rewritten. */
const unfinished = ['shell/']

describe('a component of the console', () => {
  const folder = fileURLToPath(new URL('../../console/src/', import.meta.url))

  it('has no text for people in its source: texts are in the catalogues', () => {
    const components = globSync('**/*.tsx', { cwd: folder })
      .filter((path) => !unfinished.some((area) => path.startsWith(area)))
      .map((path) => [path, readFileSync(join(folder, path), 'utf8')] as const)
    assert.ok(components.length > 20)
    assert.deepEqual(
      components.flatMap(([path, source]) =>
        literalTexts(path, source).map(({ line, text }) => `${path}:${line} ${text}`),
      ),
      [],
    )
  })

  for (const [what, source, literals] of [
    ['text between tags', '<p>Try again</p>', ['Try again']],
    ['an accessible name', '<nav aria-label="Groups" />', ['Groups']],
    ['a choice of texts', "<p>{busy ? 'Loading' : 'Load'}</p>", ['Loading', 'Load']],
    ['a text in backticks', '<b title={`some pieces`} />', ['some pieces']],
    ['a text behind a condition', "<p>{isLate && 'late'}</p>", ['late']],
    ['a text of the catalogue', '<p title={texts().states.retry}>{texts().states.retry}</p>', []],
    ['a class, a figure and a sign', '<p className="quiet" key="one">{count} · − <b /></p>', []],
    ['the name of the product', '<h1>Selvedge</h1>', []],
  ] as const) {
    it(`is searched for ${what}`, () => {
      const texts = literalTexts('component.tsx', `export const A = () => ${source}`)
      assert.deepEqual(
        texts.map(({ text }) => text),
        literals,
      )
    })
  }
})
