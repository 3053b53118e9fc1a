/** The same at the size of a brand with years of orders, 25 hours behind the other one's day. */
import { demoBrand } from '../support/demo-brand.ts'
import { figuresSuite } from '../support/figures-suite.ts'
import { todayScreenSuite } from '../support/today-screen.ts'

const brand = demoBrand(1_500, 'Pacific/Pago_Pago')
figuresSuite(brand)
todayScreenSuite(brand, false)
