import { collect, planned } from './requirement.ts';

export const sessionInvariantRequirements = collect(
  planned('SR-MOD-1', 'SR-MOD-2', 'SR-MOD-3', 'SR-MOD-4', 'SR-MOD-5', 'SR-MOD-6', 'SR-MOD-7', 'SR-MOD-8'),
  planned('SR-INV-S1', 'SR-INV-S2', 'SR-INV-S3', 'SR-INV-S4', 'SR-INV-S5', 'SR-INV-S6'),
  planned('SR-INV-T1', 'SR-INV-T2', 'SR-INV-T3', 'SR-INV-T4', 'SR-INV-T5', 'SR-INV-T6', 'SR-INV-T7', 'SR-INV-T8'),
  planned('SR-INV-T9', 'SR-INV-T10', 'SR-INV-T11'),
  planned('SR-INV-A1', 'SR-INV-A2', 'SR-INV-A3', 'SR-INV-A4', 'SR-INV-A5', 'SR-INV-A6', 'SR-INV-A7'),
  planned('SR-INV-X1', 'SR-INV-X2', 'SR-INV-X3', 'SR-INV-X4', 'SR-INV-X5', 'SR-INV-X6', 'SR-INV-X7', 'SR-INV-X8'),
  planned('SR-INV-X9'),
  planned('SR-INV-O1', 'SR-INV-O2', 'SR-INV-O3', 'SR-INV-O4', 'SR-INV-O5', 'SR-INV-O6', 'SR-INV-O7', 'SR-INV-O8'),
  planned('SR-INV-M1', 'SR-INV-M2', 'SR-INV-M3', 'SR-INV-M4', 'SR-INV-M5'),
  planned('SR-INV-H1', 'SR-INV-H2', 'SR-INV-H3', 'SR-INV-H4'),
  planned('SR-INV-L1', 'SR-INV-L2', 'SR-INV-L3', 'SR-INV-L4', 'SR-INV-L5', 'SR-INV-L6'),
  planned('SR-INV-D1', 'SR-INV-D2', 'SR-INV-D3', 'SR-INV-D4'),
  planned('SR-INV-C1', 'SR-INV-C2', 'SR-INV-C3', 'SR-INV-C4'),
  planned('SR-INV-R1', 'SR-INV-R2', 'SR-INV-R3', 'SR-INV-R4'),
  planned('SR-INV-E1', 'SR-INV-E2', 'SR-INV-E3'),
  planned('SR-INV-V1', 'SR-INV-V2', 'SR-INV-V3', 'SR-INV-V4', 'SR-INV-V5'),
  planned('SR-INV-P1', 'SR-INV-P2', 'SR-INV-P3', 'SR-INV-P4', 'SR-INV-P5', 'SR-INV-P6', 'SR-INV-P7', 'SR-INV-P8'),
  planned('SR-TO-ack', 'SR-TO-cancel', 'SR-TO-idle', 'SR-TO-turn', 'SR-TO-add', 'SR-TO-remove', 'SR-TO-open'),
  planned('SR-TO-close', 'SR-TO-handover', 'SR-TO-queue', 'SR-TO-lease'),
);
