/** Messages of agents leave room for everybody else. */
import { describe } from 'node:test'
import { itHolds } from '../support/figure.ts'

describe('messages of agents', () => {
  itHolds('mcp')
})
