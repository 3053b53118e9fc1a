/** A matched route for responses that tests put into a cache. */
import { healthHandler } from '../../src/http/handlers/health.ts'

export const cachedMatch = {
  route: {
    method: 'GET',
    path: '/x',
    operation: 'x',
    kind: 'x',
    auth: 'none',
    handler: healthHandler,
  },
  params: [],
  path: '/x',
  query: '',
} as const
