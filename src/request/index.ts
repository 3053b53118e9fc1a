export { type Cursors, openCursors } from './cursor.ts'
export {
  getParameters,
  idParameter,
  type ListParameters,
  listParameters,
} from './parameters.ts'
export { asApiError, notFound } from './refusal.ts'
