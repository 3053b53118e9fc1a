import { figuresSuite } from '../support/figures-suite.ts'

figuresSuite(1)
