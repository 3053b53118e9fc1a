/**
 * The first page in a real browser: its figures are those of the brand's export. The brand's day
 * begins 14 hours before that of UTC.
 */
import { demoBrand } from '../support/demo-brand.ts'
import { figuresSuite } from '../support/figures-suite.ts'
import { todayScreenSuite } from '../support/today-screen.ts'

todayScreenSuite(demoBrand(1), false)
const brand = demoBrand(400, 'Pacific/Kiritimati')
figuresSuite(brand)
todayScreenSuite(brand, true)
