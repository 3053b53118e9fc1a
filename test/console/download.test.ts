import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Received, receiveFile } from '../../console/src/explorer/receive-file.ts'

const encoder = new TextEncoder()

/** A response of these parts, after which the connection is closed or fails. */
const responseOf = (parts: readonly string[], end: 'closed' | 'failed' = 'closed'): Response => {
  const left = [...parts]
  const body = new ReadableStream({
    pull: (controller) => {
      const part = left.shift()
      if (part !== undefined) controller.enqueue(encoder.encode(part))
      else if (end === 'closed') controller.close()
      else controller.error(new TypeError('network error'))
    },
  })
  return new Response(body, { headers: { 'total-items': '2', 'content-type': 'text/csv' } })
}

const incomplete = { message: 'The download ended before it was complete. Try again.' }

describe('a file of the console', () => {
  it('is received with its type, and says how much has come', async () => {
    const seen: Received[] = []
    const response = responseOf(['id\r\n', '1\r\n2\r\n'])
    const { blob, records } = await receiveFile(response, 'csv', (each) => seen.push(each))
    assert.equal(await blob.text(), 'id\r\n1\r\n2\r\n')
    assert.deepEqual([blob.type, records], ['text/csv', 2])
    assert.deepEqual(seen, [
      { records: 0, total: 2, bytes: 0 },
      { records: 1, total: 2, bytes: 4 },
      { records: 3, total: 2, bytes: 10 },
    ])
  })

  it('has the records of an NDJSON file, without the line that says that it is complete', async () => {
    const lines = ['{"id":"1"}\n', '{"id":"2"}\n', '{"complete":true,"items":2}\n']
    const { blob } = await receiveFile(responseOf(lines), 'ndjson', () => {})
    assert.equal(await blob.text(), '{"id":"1"}\n{"id":"2"}\n')
  })

  it('is refused where its last line is missing or counts other records', async () => {
    for (const last of ['', '{"complete":true,"items":1}\n']) {
      const response = responseOf(['{"id":"1"}\n', last])
      await assert.rejects(
        receiveFile(response, 'ndjson', () => {}),
        incomplete,
      )
    }
  })

  it('is refused in words where the connection fails on the way', async () => {
    for (const format of ['csv', 'xlsx', 'ndjson'] as const) {
      const response = responseOf(['id\r\n'], 'failed')
      await assert.rejects(
        receiveFile(response, format, () => {}),
        incomplete,
      )
    }
  })
})
