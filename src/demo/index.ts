export { demoImage } from './image.ts'
export { type DemoRecord, type DemoSet, openStory } from './story.ts'
