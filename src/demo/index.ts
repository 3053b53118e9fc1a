export { demoImage } from './image.ts'
export type { DemoItem } from './season/record-buffer.ts'
export { type SeasonOptions, season } from './season/season.ts'
export { type DemoRecord, type DemoSet, openStory } from './story.ts'
