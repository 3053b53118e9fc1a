export { type AppParts, buildApp } from './app.ts'
export { openRemembered } from './remembered.ts'
export { createWaiting } from './waiting.ts'
