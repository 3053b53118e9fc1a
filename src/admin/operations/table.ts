import type { Operation } from '../operation.ts'
import { brandOperations } from './brands.ts'
import { firstRequestOperations } from './first-request.ts'
import { intakeOperations } from './intake.ts'
import { keyOperations } from './keys.ts'
import { reportOperations } from './reports.ts'
import { sessionOperations } from './session.ts'
import { uploadOperations } from './uploads.ts'
import { viewOperations } from './views.ts'

/** Everything that the operator page can do, one row for each method of a path. */
export const operations: readonly Operation[] = [
  ...sessionOperations,
  ...brandOperations,
  ...keyOperations,
  ...viewOperations,
  ...intakeOperations,
  ...reportOperations,
  ...uploadOperations,
  ...firstRequestOperations,
]
