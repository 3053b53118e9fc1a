/** The same at the size of a brand with years of orders, whose figures are those of its export too. */
import { demoBrand } from '../support/demo-brand.ts'
import { figuresSuite } from '../support/figures-suite.ts'
import { todayScreenSuite } from '../support/today-screen.ts'

const brand = demoBrand(1_500)
figuresSuite(brand)
todayScreenSuite(brand, false)
