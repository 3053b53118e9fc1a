export type { Examples } from './components.ts'
export { buildDocument } from './document.ts'
