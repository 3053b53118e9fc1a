export { german as contract } from '../../../../src/contract/german/index.ts'
