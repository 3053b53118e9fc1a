import assert from 'node:assert/strict'
import { test } from 'node:test'
import { domains, groups } from '../../console/src/contract.ts'
import { withRecent } from '../../console/src/recent-records.ts'
import { fitOf } from '../../console/src/search/entries.ts'
import { footText } from '../../console/src/search/foot-text.ts'
import { highlight } from '../../console/src/search/highlight.ts'
import { freshnessOf } from '../../console/src/shell/freshness.ts'
import { groupsByKind, isConnection } from '../../console/src/shell/places.ts'

const marked = (text: string, query: string): string =>
  highlight(text, query)
    .map(({ text: part, isMatch }) => (isMatch ? `[${part}]` : part))
    .join('')

test('matches are highlighted whatever their case, accents and punctuation', () => {
  for (const [text, query, expected] of [
    ['PO-5512', 'po5512', '[PO-5512]'],
    ['PO-5512', 'PO 55', '[PO]-[55]12'],
    ['Azevedo Confeções', 'confecoes', 'Azevedo [Confeções]'],
    ['Confec\u0327o\u0303es Azevedo', 'confecoes', '[Confec\u0327o\u0303es] Azevedo'],
    ['Karaağaç Giyim', 'giyim kara', '[Kara]ağaç [Giyim]'],
    ['Großhandel', 'grossh', '[Großh]andel'],
    ['Łódź GmbH', 'lodz', '[Łódź] GmbH'],
    ['上海纺织有限公司', '纺织', '上海[纺织]有限公司'],
    ['MSKU 123456-7', '1234567', 'MSKU [123456-7]'],
    // The start of a word is meant rather than the middle of one.
    ['Bolt of cotton, colt', 'colt', 'Bolt of cotton, [colt]'],
    ['Anything', 'x', 'Anything'],
    ['<b>&amp;</b>', 'amp', '<b>&[amp];</b>'],
    ['', 'x', ''],
  ] as const) {
    assert.equal(marked(text, query), expected)
  }
})

test('the parts of a highlighted text are the text', () => {
  for (const text of ['ﬁne ß', '\ud83d\ude00 PO-1', 'e\u0301\u0301x', 'İstanbul', '한국 섬유']) {
    for (const query of ['fi', 'ss', 'po1', 'e', 'istanbul', '섬', '😀', '']) {
      const parts = highlight(text, query)
      assert.equal(parts.map((part) => part.text).join(''), text)
    }
  }
})

test('a group is found by the beginnings of its words', () => {
  assert.equal(fitOf('Order Items', 'order'), 0)
  assert.equal(fitOf('Order Items', 'it ord'), 1)
  assert.equal(fitOf('Order Items', 'tems'), null)
  assert.equal(fitOf('Überfällige Rechnungen', 'uberf'), 0)
  assert.equal(fitOf('Orders', '-'), null)
})

test('the records opened last are kept once each, ten of them, with no more than a title', () => {
  const record = (number: number) => ({
    group: 'orders',
    id: String(number),
    title: `PO-${number}`,
  })
  const many = Array.from({ length: 14 }, (_, number) => record(number))
  const recent = many.reduce(withRecent, [] as ReturnType<typeof withRecent>)
  assert.deepEqual(
    recent.map(({ id }) => id),
    ['13', '12', '11', '10', '9', '8', '7', '6', '5', '4'],
  )
  const again = withRecent(recent, {
    ...record(5),
    title: 'x'.repeat(500),
    status: 'late',
  } as never)
  assert.equal(again.length, 10)
  assert.deepEqual(Object.keys(again[0] ?? {}), ['group', 'id', 'title'])
  assert.equal(again[0]?.title.length, 120)
  assert.equal(again.filter(({ id }) => id === '5').length, 1)
})

test('every group is in the navigation once, and tables that connect others are apart', () => {
  const all = { canRead: () => true }
  const shown = domains.flatMap((domain) => {
    const { records, connections } = groupsByKind(domain, all)
    return [...records, ...connections]
  })
  assert.equal(new Set(shown).size, shown.length)
  assert.ok(groups.every((group) => shown.includes(group)))
  assert.equal(groupsByKind('catalog', all).connections.length, 11)
  const tags = { canRead: (path: string) => path === 'tags' }
  assert.deepEqual(
    domains.flatMap((domain) => groupsByKind(domain, tags).records.map(({ path }) => path)),
    ['tags'],
  )
  for (const [path, expected] of [
    ['order-shipments', true],
    ['product-tags', true],
    ['order-items', false],
    ['tags', false],
  ] as const) {
    const group = shown.find((each) => each.path === path)
    assert.equal(group && isConnection(group), expected, path)
  }
})

test('records are stale when the import of a night is missing', () => {
  const now = Date.parse('2026-11-16T08:00:00Z')
  const at = '2026-11-16T05:12:00.000Z'
  const before = '2026-11-15T05:12:00.000Z'
  const yesterday = '2026-11-15T05:59:00.000Z'
  assert.equal(freshnessOf({ changedAt: null, lastImport: null }, now), null)
  assert.deepEqual(freshnessOf({ changedAt: before, lastImport: { at, changed: 0 } }, now), {
    ...{ at, changed: 0, ageHours: 2, isStale: false },
  })
  const stale = freshnessOf({ changedAt: before, lastImport: { at: yesterday, changed: 41 } }, now)
  assert.deepEqual(stale, { at: yesterday, changed: 41, ageHours: 26, isStale: true })
  assert.equal(freshnessOf({ changedAt: at, lastImport: null }, now)?.changed, null)
})

test('a search without results never counts them', () => {
  const searchOf = (isComplete: boolean) => ({
    results: { query: 'invoice due', items: [], isComplete },
    error: null,
    isCurrent: true,
  })
  assert.match(footText('invoice due ', searchOf(true), 0), /^Nothing matches “invoice due”/)
  for (const places of [0, 2]) {
    const text = footText('invoice due ', searchOf(false), places)
    assert.match(text, /^None of the records closest to “invoice due”/)
  }
})
