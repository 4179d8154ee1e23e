#!/usr/bin/env node
// The entry of `ao`; the rest is ao-main.ts.
import { start } from './entry.ts'

start('ao', () => import('./ao-main.ts'))
