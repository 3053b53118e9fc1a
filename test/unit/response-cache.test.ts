import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createResponseCache } from '../../src/http/response-cache.ts'
import { cachedMatch } from '../support/cached-match.ts'

it('any number of cached targets can end alike', () => {
  const cache = createResponseCache(2 ** 30)
  const readState = { change: 1, dependencies: [] }
  const counted = { records: 0, groups: null }
  const encoded = { encodedBody: [Buffer.alloc(1)], length: 1, lines: '', ...counted }
  const response = { match: cachedMatch, tag: 'x', readState, size: 1, encoding: null, encoded }
  const targets = Array.from({ length: 65_536 }, (_, n) => `/${n + 100_000}?limit=1000000`)
  for (const target of targets) cache.put(target, response)
  assert.equal(targets.filter((target) => cache.get(target)).length, targets.length)
})
