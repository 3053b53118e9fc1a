/** The figures of a small and of a large brand, in time zones whose dates always differ. */
import { demoBrand } from '../support/demo-brand.ts'
import { figuresSuite } from '../support/figures-suite.ts'

figuresSuite(demoBrand(200, 'Pacific/Kiritimati'))
figuresSuite(demoBrand(4_000, 'Pacific/Pago_Pago'))
