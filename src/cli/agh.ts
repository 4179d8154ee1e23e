#!/usr/bin/env node
// The entry of `agh`; the rest is agh/commands.ts.
import { start } from './entry.ts'

start('agh', () => import('./agh/commands.ts'))
