export { demoImage } from './image.ts'
export { type SeasonOptions, season } from './season/season.ts'
export type { DemoItem } from './season/sheaf.ts'
export { type DemoRecord, type DemoSet, openStory } from './story.ts'
