import { figuresSuite } from '../support/figures-suite.ts'

figuresSuite(400)
figuresSuite(4_000)
