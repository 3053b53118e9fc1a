/** Commands that read from other servers survive all that those can do. */
import { describe } from 'node:test'
import { itHolds } from '../support/figure.ts'

describe('servers that are hostile or broken', () => {
  itHolds('hostile-servers')
})
