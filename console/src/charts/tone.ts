/** What a colour means, the same everywhere. */
export type Tone = 'plain' | 'quiet' | 'good' | 'warn' | 'bad'
