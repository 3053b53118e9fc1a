import { questionsSuite } from '../support/questions-suite.ts'

questionsSuite('SQLite', async () => ({}))
