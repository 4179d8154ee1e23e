// The program that keeps the lines to all sessions in places: `place-lines <home>`.
import { openEngine } from './open-engine.ts'
import { runLines } from './place/line/run-lines.ts'

await runLines(process.argv[2] ?? '', openEngine)
