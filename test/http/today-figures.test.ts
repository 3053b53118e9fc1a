import { demoBrand } from '../support/demo-brand.ts'
import { figuresSuite } from '../support/figures-suite.ts'

figuresSuite(demoBrand(40))
