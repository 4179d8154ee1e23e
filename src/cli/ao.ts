#!/usr/bin/env node
// The entry of `ao`; the rest is ao/commands.ts.
import { start } from './entry.ts'

start('ao', () => import('./ao/commands.ts'))
