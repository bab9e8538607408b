import { collect, planned } from './requirement.ts';

export const sessionRuntimeRequirements = collect(
  planned('SR-M.1', 'SR-M.2', 'SR-M.3', 'SR-M.4', 'SR-M.5', 'SR-M.6', 'SR-M.7', 'SR-M.8', 'SR-M.9', 'SR-M.10'),
  planned('SR-M.11', 'SR-M.12', 'SR-M.13', 'SR-M.14', 'SR-M.15', 'SR-M.16', 'SR-M.17', 'SR-M.18', 'SR-M.19'),
  planned('SR-M.20', 'SR-M.21'),
  planned('SR-S.1', 'SR-S.2', 'SR-S.3', 'SR-S.4', 'SR-S.5', 'SR-S.6', 'SR-S.7', 'SR-S.8'),
  planned('SR-T.1', 'SR-T.2', 'SR-T.3', 'SR-T.4', 'SR-T.5'),
  planned('SR-A.1', 'SR-A.2', 'SR-A.3', 'SR-A.4', 'SR-A.5', 'SR-A.6', 'SR-A.7', 'SR-A.8', 'SR-A.9'),
  planned('SR-B.1', 'SR-B.2', 'SR-B.3', 'SR-B.4', 'SR-B.5', 'SR-B.6'),
  planned('SR-C.1', 'SR-C.2', 'SR-C.3', 'SR-C.4', 'SR-C.5', 'SR-C.6', 'SR-C.7'),
  planned('SR-D.1', 'SR-D.2', 'SR-D.3', 'SR-D.4', 'SR-D.5', 'SR-D.6', 'SR-D.7', 'SR-D.8', 'SR-D.9'),
  planned('SR-E.1', 'SR-E.2', 'SR-E.3', 'SR-E.4', 'SR-E.5', 'SR-E.6'),
  planned('SR-F.1', 'SR-F.2', 'SR-F.3', 'SR-F.4', 'SR-F.5', 'SR-F.6', 'SR-F.7'),
  planned('SR-G.1', 'SR-G.2', 'SR-G.3', 'SR-G.4', 'SR-G.5', 'SR-G.6', 'SR-G.7'),
  planned('SR-H.1', 'SR-H.2', 'SR-H.3', 'SR-H.4', 'SR-H.5'),
  planned('SR-I.1', 'SR-I.2', 'SR-I.3', 'SR-I.4', 'SR-I.5', 'SR-I.6', 'SR-I.7', 'SR-I.8', 'SR-I.9', 'SR-I.10'),
  planned('SR-I.11', 'SR-I.12', 'SR-I.13'),
);
