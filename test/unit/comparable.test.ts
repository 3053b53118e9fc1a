import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ColumnKind } from '#database'
import { comparable, sliceReader } from '../../src/store/schema/comparable.ts'
import { seeded } from '../support/model.ts'

const draw = seeded(7)

/** What an import stores for a value that is a slice of a longer text. */
const ofSlice = (kind: ColumnKind, text: string) => {
  const bytes = Buffer.from(`é"${text}",`)
  return sliceReader(kind)?.(bytes, 3, bytes.length - 2)
}

describe('what a column is compared with', () => {
  const equal: readonly (readonly [ColumnKind, string, string | number | null])[] = [
    ['text', 'Größe', 'Größe'],
    ['integer', '12', '12'],
    ['date', '2026-03-01', 20260301],
    ['date', '0000-01-01', 101],
    ['timestamp', '1970-01-01T00:00:00.000Z', 0],
    ['timestamp', '2026-03-01T09:30:00.123Z', 1772357400123],
    ['decimal', '-12.50', '-12.50'],
    ['folded', 'Straße  1', 'strasse 1'],
    // A text that is not of the kind equals nothing.
    ['uuid', 'x', null],
    ['date', '1.3.2026', null],
    ['date', '2026-03-01T00:00:00.000Z', null],
    ['timestamp', '2026-03-01', null],
    ['timestamp', '2026-03-01T09:30:00Z', null],
    ['decimal', '1e5', null],
    ['decimal', '', null],
  ]
  for (const [kind, text, value] of equal) {
    it(`for a ${kind} ${JSON.stringify(text)} is ${JSON.stringify(value)}`, () => {
      assert.equal(comparable(kind, text), value)
    })
  }

  it('is null for null, and a number for a number', () => {
    assert.equal(comparable('date', null), null)
    assert.equal(comparable('timestamp', 5), 5)
  })

  it('is the same for a slice of bytes', () => {
    const two = (below: number) => String(draw(below)).padStart(2, '0')
    for (let tries = 0; tries < 5_000; tries += 1) {
      const year = String(draw(10_000)).padStart(4, '0')
      const date = new Date(Date.parse(`${year}-01-01T00:00:00.000Z`) + draw(365) * 86_400_000)
        .toISOString()
        .slice(0, 10)
      const at = `${date}T${two(24)}:${two(60)}:${two(60)}.${String(draw(1_000)).padStart(3, '0')}Z`
      assert.equal(ofSlice('date', date), comparable('date', date))
      assert.equal(ofSlice('timestamp', at), comparable('timestamp', at))
    }
    for (const text of ['PO 5512', 'Żółć', '上海', '', 'x'.repeat(500)]) {
      assert.equal(ofSlice('folded', text), comparable('folded', text))
    }
  })

  it('is right for the days around every end of February', () => {
    for (const year of ['0000', '0004', '1600', '1900', '1970', '2000', '2024', '2100', '9999']) {
      for (const day of ['01-01', '02-28', '03-01', '12-31']) {
        const text = `${year}-${day}T23:59:59.999Z`
        assert.equal(ofSlice('timestamp', text), Date.parse(text), text)
      }
    }
  })

  it('has at most 100 characters of a folded text, none of them cut in half', () => {
    assert.equal(comparable('folded', 'A'.repeat(101)), 'a'.repeat(100))
    assert.equal(comparable('folded', `${'a'.repeat(99)}😀`), 'a'.repeat(99))
    assert.equal(comparable('folded', `${'a'.repeat(98)}😀b`), `${'a'.repeat(98)}😀`)
  })

  it('has at most 400 digits of a decimal number on each side of the point', () => {
    const [many, most] = ['7'.repeat(401), '9'.repeat(400)]
    assert.equal(comparable('decimal', many), most)
    assert.equal(comparable('decimal', `-${many}.5`), `-${most}`)
    assert.equal(comparable('decimal', `12.${many}`), `12.${'7'.repeat(400)}`)
    assert.equal(comparable('decimal', `-${'7'.repeat(400)}`), `-${'7'.repeat(400)}`)
  })
})
