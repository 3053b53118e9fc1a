export { type AppParts, buildApp } from './app.ts'
