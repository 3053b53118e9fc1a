export { inSandbox, type Sandbox } from '../tools/sandbox.ts'
