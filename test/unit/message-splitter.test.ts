import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createMessageSplitter } from '../../src/database/postgres/message-splitter.ts'

const message = (code: string, content: string): Buffer => {
  const bytes = Buffer.from(content)
  const header = Buffer.alloc(5)
  header.write(code)
  header.writeInt32BE(bytes.length + 4, 1)
  return Buffer.concat([header, bytes])
}

const messages = [
  ['D', 'a row with l’été, 東京 and 🧵'],
  ['C', ''],
  ['Z', 'I'],
  ['D', 'x'.repeat(70)],
  ['N', 'a notice'],
] as const
const sent = Buffer.concat(messages.map(([code, content]) => message(code, content)))

const split = (chunks: readonly Buffer[]): readonly (readonly [string, string])[] => {
  const received: (readonly [string, string])[] = []
  const onChunk = createMessageSplitter((code, bytes, start, end) => {
    received.push([String.fromCharCode(code), bytes.toString('utf8', start, end)])
  })
  for (const chunk of chunks) onChunk(chunk)
  return received
}

describe('messages of a PostgreSQL server', () => {
  it('are the same wherever what is received is cut', () => {
    for (let size = 1; size <= sent.length; size += 1) {
      const chunks: Buffer[] = []
      for (let at = 0; at < sent.length; at += size) chunks.push(sent.subarray(at, at + size))
      assert.deepEqual(split(chunks), messages, `chunks of ${size} bytes`)
    }
    for (let first = 0; first < sent.length; first += 1) {
      for (const second of [first + 1, first + 4, first + 30]) {
        const cuts = [sent.subarray(0, first), sent.subarray(first, second), sent.subarray(second)]
        assert.deepEqual(split(cuts), messages, `cut at ${first} and ${second}`)
      }
    }
  })

  it('are refused when their length is impossible', () => {
    assert.throws(() => split([Buffer.from([0x44, 0, 0, 0, 3])]), /invalid length/)
    assert.throws(() => split([Buffer.from([0x44, 0xff]), Buffer.alloc(9, 0xff)]), /invalid length/)
  })

  it('that were assembled stay as they are when more arrives', () => {
    const contents: Buffer[] = []
    const onChunk = createMessageSplitter((_code, bytes, start, end) => {
      contents.push(bytes.subarray(start, end))
    })
    for (const [index, content] of ['first', 'second'].entries()) {
      const whole = message('D', content)
      onChunk(whole.subarray(0, 7 + index))
      onChunk(whole.subarray(7 + index))
    }
    assert.deepEqual(contents.map(String), ['first', 'second'])
  })
})
