import { reliabilitySuite } from '../support/reliability-suite.ts'

reliabilitySuite('release')
