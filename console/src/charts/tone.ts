/** The meaning of a colour in the whole console. */
export type Tone = 'plain' | 'quiet' | 'good' | 'warn' | 'bad'
